"""typeone.pooling against the oracle, input by input."""

from __future__ import annotations

from fractions import Fraction
from random import Random
from typing import Any

from mpmath import mp, mpf

from oracles import pooling as oracle
from oracles import tails
from oracles.inputs import cases, digits, near, some_level
from typeone import pooling
from typeone.pooling import quality


def some_reliability(random: Random) -> str:
    kind = random.randrange(4)
    if kind == 0:
        return random.choice(["1e-12", "0.999999999", "0.5", "1/3", "0.75"])
    if kind == 1:
        return random.choice(["0.8", "0.9", "2/3", "0.6"])
    return f"{random.uniform(0.05, 0.99):.{random.randint(1, 6)}f}".replace("0.0", "0.05").replace("1.0", "0.9")


def panel(random: Random, most: int) -> list[str]:
    n = random.choice([1, 2, 3, most])
    if random.random() < 0.3:
        return [some_reliability(random)] * n
    return [some_reliability(random) for _ in range(n)]


def exact(values: list[str]) -> list[Fraction]:
    return [Fraction(x) for x in values]


def votes_table(random: Random, sources: int, items: int) -> tuple[dict[str, list[Any]], dict[int, dict[int, int]]]:
    """Rows in random order with missing votes, and votes[item][source]."""
    share = random.choice([0.0, 0.0, 0.3, 0.7])
    rows = [
        (i, s, None if random.random() < share else random.randint(0, 1)) for i in range(items) for s in range(sources)
    ]
    if all(v is None for *_, v in rows):
        rows[0] = (0, 0, 1)
    random.shuffle(rows)
    votes: dict[int, dict[int, int]] = {}
    for i, s, v in rows:
        kept = votes.setdefault(i, {})
        if v is not None:
            kept[s] = v
    return dict(zip(("item", "source", "vote"), map(list, zip(*rows, strict=True)), strict=True)), votes


def attained(random: Random, posteriors: list[Fraction]) -> list[str]:
    """Thresholds (accept, reject), often posteriors that items have."""
    pair = []
    for _ in range(2):
        if random.random() < 0.5:
            pair.append(str(random.choice(posteriors)))
        else:
            pair.append(some_level(random))
    return sorted(pair, key=Fraction, reverse=True)


def check_decisions(
    got: pooling.Result, votes: dict[int, dict[int, int]], r: list[Fraction], terms: list[str], where: object
) -> None:
    """Log-odds, posterior and decision of every item; ``terms`` = accept, reject, prior."""
    accept, reject, prior = exact(terms)
    items = got.votes.items.to_pylist()
    assert items == list(votes), where
    for i, item in enumerate(items):
        cast, weights = list(votes[item].values()), [r[s] for s in votes[item]]
        assert int(got.sums[i]) == oracle.pooled_units(cast, weights, prior), (where, item)
        p = oracle.posterior(cast, weights, prior)
        assert int(got.decision[i]) == oracle.decision(p, accept, reject), (where, item, p)
        log_odds = mpf(int(got.sums[i])) / 2**40
        assert float(got.log_odds[i]) == float(log_odds), (where, item)
        assert near(float(got.posterior[i]), oracle.sigmoid(log_odds), 1e-15), (where, item)


def test_given_reliabilities(oracles: int) -> None:
    for case, random in cases("pooling given", oracles):
        r = panel(random, 6)
        data, votes = votes_table(random, len(r), random.choice([1, 2, 3, 20]))
        prior = random.choice(["0.5", "0.1", "1e-12", "0.999999999", "1/3"])
        posteriors = [
            oracle.posterior(list(v.values()), exact([r[s] for s in v]), Fraction(prior)) for v in votes.values()
        ]
        accept, reject = attained(random, posteriors)
        options = pooling.Options(accept=accept, reject=reject, prior=prior)
        got = pooling.apply(data, reliability=dict(enumerate(r)), options=options)
        check_decisions(got, votes, exact(r), [accept, reject, prior], (case, r, votes, accept, reject, prior))


def test_fitted_and_held_out(oracles: int) -> None:
    for case, random in cases("pooling fitted", oracles):
        sources, items = random.choice([1, 2, 5]), random.choice([1, 2, 3, 30])
        data, votes = votes_table(random, sources, items)
        labels = {i: random.choice([0, 1, 1, None]) for i in range(items)}
        labels[0] = 1
        data["label"] = [labels[i] for i in data["item"]]
        level = random.choice(["0.05", "1e-12", "0.99", "1/3"])
        accept, reject = sorted([some_level(random), some_level(random)], key=Fraction, reverse=True)
        prior = random.choice(["0.5", "0.3"])
        options = pooling.Options(accept=accept, reject=reject, prior=prior, level=level, seed=case)
        got = pooling.apply(data, label="label", options=options)
        order = got.votes.items.to_pylist()
        where = (case, data, options)

        labelled = [i for i, item in enumerate(order) if labels[item] is not None]
        fitting = [i for i in range(items) if got.fitting[i]]
        held = [i for i in range(items) if got.held_out[i]]
        assert sorted(fitting + held) == labelled, where
        assert len(fitting) == (len(labelled) + 1) // 2, where

        values = {}
        table = got.reliabilities.to_arrow().to_pylist()
        for row, value in zip(table, got.reliabilities.values, strict=True):
            cast = [(votes[order[i]].get(row["source"]), labels[order[i]]) for i in fitting]
            right = sum(v == t for v, t in cast if v is not None)
            seen = sum(v is not None for v, _ in cast)
            assert (row["right"], row["labelled"]) == (right, seen), where
            values[row["source"]] = value
            assert value == oracle.smoothed(right, seen), where
            assert near(row["log_odds"], oracle.logit(value), 1e-14), where
            with mp.workdps(40):
                error = mp.sqrt(1 / (right + mpf("0.5")) + 1 / (seen - right + mpf("0.5")))
            assert near(row["log_odds_se"], error, 1e-14), where
            half = Fraction(level) / 2
            if seen:
                assert near(row["lower"], tails.clopper_pearson_lower(right, seen, half)), where
                assert near(row["upper"], tails.clopper_pearson_upper(right, seen, half)), where
            else:
                assert (row["lower"], row["upper"]) == (0, 1), where
        r = [values.get(s, Fraction(1, 2)) for s in range(sources)]
        check_decisions(got, votes, r, [accept, reject, prior], where)
        check_rates(got, [(int(got.decision[i]), labels[order[i]]) for i in held], Fraction(level), where)
        if held:
            check_comparison(got, held, votes, labels, prior, where)


def check_rates(got: pooling.Result, pairs: list[tuple[int, Any]], level: Fraction, where: object) -> None:
    """Counts and one-sided bounds of the error rates on held-out items."""
    if not pairs:
        assert not got.rates, where
        return
    wanted = {
        "accepted that are false": ([d == 1 and not t for d, t in pairs], [d == 1 for d, _ in pairs]),
        "rejected that are true": ([d == -1 and bool(t) for d, t in pairs], [d == -1 for d, _ in pairs]),
        "false that are accepted": ([d == 1 and not t for d, t in pairs], [not t for _, t in pairs]),
        "true that are accepted": ([d == 1 and bool(t) for d, t in pairs], [bool(t) for _, t in pairs]),
        "abstained": ([d == 0 for d, _ in pairs], [True for _ in pairs]),
    }
    for rate in got.rates:
        these, among = wanted.pop(rate.name)
        count, of = sum(these), sum(among)
        assert (rate.count, rate.of) == (count, of), (where, rate)
        if of == 0:
            assert rate.rate != rate.rate, (where, rate)
            assert (rate.lower, rate.upper) == (0, 1), (where, rate)
        else:
            assert rate.rate == count / of, (where, rate)
            assert near(rate.lower, tails.clopper_pearson_lower(count, of, level)), (where, rate)
            assert near(rate.upper, tails.clopper_pearson_upper(count, of, level)), (where, rate)
    assert not wanted or set(wanted) <= {"true that are rejected"}, where


def check_comparison(
    got: pooling.Result,
    held: list[int],
    votes: dict[int, dict[int, int]],
    labels: dict[int, Any],
    prior: str,
    where: object,
) -> None:
    """Count, share and pooled rule on the held-out items."""
    order = got.votes.items.to_pylist()
    truth = [labels[order[i]] for i in held]
    cast = [list(votes[order[i]].values()) for i in held]
    shares = [Fraction(sum(v), len(v)) if v else Fraction(prior) for v in cast]
    sums = [int(got.sums[i]) for i in held]
    with mp.workdps(40):
        pooled = [oracle.sigmoid(mpf(s) / 2**40) for s in sums]
        rules: dict[str, tuple[list[Any], list[mpf] | None]] = {
            "vote count": ([sum(v) for v in cast], None),
            "vote share": (list(shares), [digits(s) for s in shares]),
            "pooled": (list(sums), pooled),
        }
        for rule in got.comparison:
            keys, forecast = rules[rule.rule]
            area = oracle.auroc(keys, truth)
            assert (rule.auroc != rule.auroc) if area is None else near(rule.auroc, area), (where, rule)
            if forecast is None:
                assert rule.brier is None, where
                continue
            assert None not in (rule.accuracy, rule.brier, rule.calibration, rule.overconfidence), where
            assert near(rule.accuracy, oracle.accuracy(forecast, truth)), (where, rule)
            assert near(rule.brier, oracle.brier(forecast, truth)), (where, rule)
            # Differences of numbers up to 1 cancel.
            off = abs(digits(rule.overconfidence) - oracle.overconfidence(forecast, truth))
            assert off <= mpf(10) ** -14, (where, rule)
            off = abs(digits(rule.calibration) - oracle.calibration_error(forecast, truth, quality.BINS))
            assert off <= mpf(10) ** -14, (where, rule)
    assert {rule.rule for rule in got.comparison} == set(rules), where


def check_point(point: pooling.OperatingPoint, wanted: tuple[mpf, Fraction, Fraction], where: object) -> None:
    mean, low, high = wanted
    assert None not in (point.log_odds, point.posterior, point.lowest, point.highest), where
    # Prior and weights are held in units of 2**-40, so n + 1 of them are right to (n + 1) / 2 units, and odds likewise.
    rounding = (point.n + 1) * 2.0**-41 + 1e-14
    assert near(point.log_odds, mean, 1e-15, rounding), (where, point, mean)
    assert near(point.posterior, oracle.sigmoid(mean), rounding), (where, point)
    assert near(point.lowest, low, rounding), (where, point)
    assert near(point.highest, high, rounding), (where, point)


def test_drift(oracles: int) -> None:
    for case, random in cases("pooling drift", oracles):
        r = panel(random, 6)
        prior = random.choice(["0.5", "1e-12", "0.999999999", "0.3"])
        tau, sizes = random.randint(0, len(r) + 1), sorted({random.randint(1, len(r)) for _ in range(3)})
        equal = len(set(exact(r))) == 1
        got = pooling.drift(tau, r[0] if equal and random.random() < 0.5 else r, sizes, prior)
        assert got.equal == equal, (case, r)
        assert [p.n for p in got.points] == sizes, (case, r)
        for point in got.points:
            first = exact(r[: point.n])
            where = (case, r, tau, prior, point)
            assert near(point.fpr, oracle.count_at_least(tau, [1 - x for x in first])), where
            assert near(point.tpr, oracle.count_at_least(tau, first)), where
            if tau > point.n:
                assert (point.log_odds, point.posterior, point.lowest, point.highest) == (None,) * 4, where
                continue
            check_point(point, oracle.operating_point(tau, first, Fraction(prior)), where)
            if equal:
                with mp.workdps(40):
                    formula = oracle.logit(Fraction(prior)) + (2 * tau - point.n) * oracle.logit(first[0])
                assert near(point.log_odds or 0.0, formula, 1e-15, (point.n + 1) * 2.0**-41), where


def test_drift_of_a_result(oracles: int) -> None:
    for case, random in cases("pooling result drift", oracles):
        r = panel(random, 5)
        data = {"item": [0] * len(r), "source": list(range(len(r))), "vote": [1] * len(r)}
        got = pooling.apply(data, reliability=dict(enumerate(r)))
        tau, n = random.randint(0, len(r)), random.randint(1, len(r))
        (point,) = got.drift(tau, [n]).points
        if tau <= n:
            check_point(point, oracle.operating_point_of_any(tau, n, exact(r), Fraction(1, 2)), (case, r, tau, n))
        else:
            assert point.log_odds is None, (case, r, tau, n)


def test_reconcile(oracles: int) -> None:
    for case, random in cases("pooling reconcile", oracles):
        r = panel(random, 5)
        prior = Fraction(random.choice(["0.5", "0.3", "0.999999999"]))
        some = [random.randint(0, 1) for _ in r]
        threshold = random.choice([Fraction(some_level(random)), oracle.posterior(some, exact(r), prior)])
        got = pooling.reconcile(r, threshold, prior)
        where = (case, r, threshold, prior, got)
        tau = oracle.matching_tau(exact(r), threshold, prior)
        assert got.tau == tau, where
        assert sorted(got.gaps) == sorted(oracle.gaps(exact(r), prior)), where
        if tau is None:
            assert got.accepted, where
            assert got.refused, where
            for item in (got.accepted, got.refused):
                assert item.posterior == oracle.posterior(item.votes, list(got.reliabilities), prior), where
            assert got.accepted.posterior >= threshold > got.refused.posterior, where
            assert sum(got.accepted.votes) <= sum(got.refused.votes), where


def test_counterexample(oracles: int) -> None:
    for case, random in cases("pooling counterexample", oracles):
        r = [some_reliability(random) for _ in range(random.choice([1, 2, 3]))]
        prior = Fraction(random.choice(["0.5", "0.3"]))
        threshold = Fraction(random.choice(["1/2", "0.9", "0.999", some_level(random)]))
        most = random.choice([1, 2, 4])
        got = pooling.counterexample(r, threshold, prior, most)
        wanted = oracle.smallest_counterexample(exact(r), threshold, prior, most)
        assert (got and got.reliabilities) == wanted, (case, r, threshold, prior, most)
