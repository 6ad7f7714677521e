"""What every public function makes of arrays that hold no numbers, hide some, or hold more digits than doubles."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

from typeone import arrays, exact, jecs, panels, pooling, roc, scf, tails

LONG = 2**53
REFERENCE = scf.fit([0.1, 0.2, 0.3], ["a", "b", "b"])
THREE = [1.0, 2.0, 3.0]

SCORES = {
    "scores": {
        "auroc": lambda v: roc.auroc(v, [1, 0, 1]),
        "tpr_at_fpr": lambda v: roc.tpr_at_fpr(v, [1, 0, 1], "0.1"),
        "fit": lambda v: scf.fit(v, ["a", "b", "b"]),
        "tail": REFERENCE.tail,
        "capped": REFERENCE.capped,
        "evidence": REFERENCE.evidence,
    },
    "candidates, model 0": {"select": lambda v: jecs.select([v], [THREE])},
    "calibration, model 0": {"select": lambda v: jecs.select([THREE], [v])},
}
TAKES_SCORES = [
    pytest.param(name, call, id=f"{of}-{name}") for name, calls in SCORES.items() for of, call in calls.items()
]


def _of_tails(name, position):
    """A function of ``tails`` with its array in one of its places, and a plain number in the others."""
    function = getattr(tails, name)
    sound = [0.5 if name.endswith("quantile") else 1, 3, 0.5 if name.startswith("binomial") else 2]
    sound += [] if name.startswith("binomial") else [2]
    return lambda v: function(*sound[:position], v, *sound[position + 1 :])


COUNTS = {
    f"{name} {position}": _of_tails(name, position)
    for name in tails.__all__
    for position in range(3 if name.startswith("binomial") else 4)
} | {
    "clopper_pearson k": lambda v: exact.clopper_pearson(v, 10, "0.05"),
    "clopper_pearson n": lambda v: exact.clopper_pearson(0, v, "0.05"),
    "clopper_pearson_lower": lambda v: exact.clopper_pearson_lower(v, 10, "0.05"),
    "clopper_pearson_upper": lambda v: exact.clopper_pearson_upper(v, 10, "0.05"),
    "hypergeometric_bounds": lambda v: exact.hypergeometric_bounds(v, 5, 10, "0.05"),
    "hypergeometric_interval": lambda v: exact.hypergeometric_interval(v, 5, 10, "0.05"),
    "census_errors C": lambda v: panels.census_errors(5, v),
    "census_errors M": lambda v: panels.census_errors(v, 1),
    "census_sizes C": lambda v: panels.census_sizes(5, v, delta="0.1"),
    "census_sizes grid": lambda v: panels.census_sizes(5, 3, delta="0.1", grid=v),
    "census_capture": lambda v: panels.census_capture(5, v, force="accept"),
    "certify": lambda v: panels.certify(v, 10),
    "certify weights": lambda v: panels.certify([1, 1], 10, panels.Options(generator="catalogue"), weights=v),
    "contamination": lambda v: panels.contamination(v, 10),
    "superpopulation_errors": lambda v: panels.superpopulation_errors(v, 3),
    "superpopulation_sizes": lambda v: panels.superpopulation_sizes(v, 3, delta="0.1"),
    "superpopulation_capture": lambda v: panels.superpopulation_capture(v, 3, force="accept"),
    "certification": lambda v: panels.certification(v, 10, 20),
    "certification weights": lambda v: panels.certification([0, 1], 10, 20, weights=v),
    "drift sizes": lambda v: pooling.drift(1, "0.8", v),
    "drift tau": lambda v: pooling.drift(v, "0.8", [3]),
    "drift reliability": lambda v: pooling.drift(1, v, [2]),
    "reconcile": pooling.reconcile,
    "counterexample": pooling.counterexample,
    "labels": lambda v: roc.auroc([1.0, 2.0], v),
    "sources": lambda v: scf.fit([1.0, 2.0], v),
    "items": lambda v: jecs.select([[1.0, 2.0]], [THREE], items=v),
}


@pytest.mark.parametrize(("name", "call"), TAKES_SCORES)
@pytest.mark.parametrize(
    ("values", "told"),
    [
        (np.array([1 + 2j, 2, 3]), "complex128"),
        (["1", "2", "3"], "text"),
        ([b"1", b"2", b"3"], "bytes"),
        (np.array([1, 2, 3], "M8[s]"), r"datetime64\[s\]"),
        (np.array([1, 2, 3], "m8[s]"), r"timedelta64\[s\]"),
        (np.array([(1.0,), (2.0,), (3.0,)], [("a", "f8")]), "records"),
        (np.array([True, False, True]), "truth values"),
        ([0.5, True, 1.0], "truth values"),
        (np.array([1.0, "2", 3.0], object), "str"),
        (np.array([1.0, np.timedelta64(2), 3.0], object), "timedelta64"),
        (pa.array(["1", "2", "3"]), "(text|str)"),
    ],
)
def test_what_is_no_real_number_is_no_score(name, call, values, told):
    with pytest.raises(ValueError, match=rf"{name}.*: scores are real numbers, not {told}"):
        call(values)


@pytest.mark.parametrize(("name", "call"), TAKES_SCORES)
@pytest.mark.parametrize(
    "values",
    [
        [LONG + 1, LONG, 1],
        [LONG + 1, LONG, 0.5],  # numpy makes doubles of these before anybody sees them
        [2**70 + 1, 2**70, 1],
        np.array([-LONG - 1, -LONG, 1]),
        np.array([2**63 + 1, 2**63, 1], np.uint64),
        np.array([np.int64(LONG + 1), np.float64(LONG), 1], object),
        [Decimal(LONG + 1), Decimal(LONG), Decimal(1)],
        [Fraction(LONG + 1), Decimal(LONG), 1],
        np.array([LONG, 1, 0.5], np.longdouble) + np.array([1, LONG - 1, 0], np.longdouble),
    ],
)
def test_numbers_that_would_be_one_double_are_named(name, call, values):
    if isinstance(values, np.ndarray) and values.dtype.itemsize == 8 and values.dtype == np.longdouble:
        pytest.skip("long doubles are doubles here")
    with pytest.raises(
        ValueError, match=rf"{name}(\[\d\]|, position \d): -?\d+(\.0)? and -?\d+(\.0)? are one number with 53 bits"
    ):
        call(values)


@pytest.mark.parametrize(
    "values", [[LONG + 2, LONG, 1], np.array([2**63, 2**62, 1], np.uint64), [Decimal("0.3"), Fraction(1, 5), 0.1]]
)
def test_long_numbers_that_stay_apart_are_taken(values):
    assert roc.auroc(values, [1, 0, 1]) == 0.5
    assert scf.fit(values, ["a", "b", "b"]).steps.tolist() == sorted(map(float, values))
    doubles = [float(value) for value in values]
    assert jecs.select([values], [THREE]).ranks.tolist() == jecs.select([doubles], [THREE]).ranks.tolist()


def test_candidates_and_calibration_are_held_apart_together():
    with pytest.raises(ValueError, match=r"calibration, model 'a', position 1: .* are one number"):
        jecs.select({"a": [LONG]}, {"a": [1, LONG + 1]})
    assert len(jecs.select([[LONG], [1.0]], [[1.0], [LONG + 1]])) == 1  # of different models, and never compared


def test_a_long_integer_beside_a_step_of_the_map_is_named():
    reference = scf.fit([LONG, 1], ["a", "b"])
    assert reference.tail([LONG + 4]).tolist() == [1 / 3]
    with pytest.raises(ValueError, match=r"scores\[0\]: 9007199254740993 and 9007199254740992.0 are one number"):
        reference.tail([LONG + 1])


MASKED = {
    "scalar": np.ma.masked,
    "integers": np.ma.array([1, 1], mask=[False, True]),
    "shares": np.ma.array([0.5, 0.5], mask=[False, True]),
    "listed": [0.5, np.ma.masked],
    "listed integers": [1, np.ma.masked],
    "one integer": np.ma.array(1, mask=True),
}


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("call", [*COUNTS.values()], ids=[*COUNTS])
@pytest.mark.parametrize("values", [*MASKED.values()], ids=[*MASKED])
def test_a_masked_entry_is_no_number(call, values):
    with pytest.raises(ValueError, match=r"^[a-zA-Z, ]+(\[\d\])?[:=]"):
        call(values)


@pytest.mark.parametrize("name", ["integers", "listed integers"])
def test_a_masked_entry_is_named(name):
    for call in (COUNTS["census_errors C"], COUNTS["contamination"], COUNTS["binomial_pmf 0"]):
        with pytest.raises(ValueError, match=r"\[1\]: the value is missing \(masked\)"):
            call(MASKED[name])
    with pytest.raises(ValueError, match=r"C\[1, 0\]: the value is missing"):
        panels.census_errors(5, [[1, 2], [np.ma.masked, 2]])
    with pytest.raises(ValueError, match=r"C\[1, 1\]: the value is missing"):
        panels.census_errors(5, [[1, 2], np.ma.array([1, 2], mask=[False, True])])


@pytest.mark.parametrize(("name", "call"), TAKES_SCORES)
@pytest.mark.parametrize(
    "values", [np.ma.array(THREE, mask=[False, True, False]), [1.0, np.ma.masked, 3.0], [1, np.ma.masked, 3]]
)
def test_a_masked_score_is_named(name, call, values):
    with pytest.raises(ValueError, match=rf"{name}(\[1\]|, position 1): the value is missing \(masked\)"):
        call(values)


def test_a_masked_array_without_masked_entries_is_an_array():
    assert tails.binomial_pmf(np.ma.array([1, 2]), 3, 0.5).tolist() == tails.binomial_pmf([1, 2], 3, 0.5).tolist()
    assert roc.auroc(np.ma.array(THREE), np.ma.array([1, 0, 1])) == 0.5
    assert panels.census_errors(5, np.ma.array([3])).tolist() == panels.census_errors(5, [3]).tolist()
    assert scf.fit(np.ma.array(THREE), np.ma.array([1, 2, 2])).steps.tolist() == THREE
    assert len(jecs.select(np.ma.array([THREE]), np.ma.array([THREE]), items=np.ma.array([1, 2, 3]))) == 3


@pytest.mark.filterwarnings("ignore:Warning. converting a masked element")
@pytest.mark.parametrize("value", [True, np.True_, False, np.ma.masked])
@pytest.mark.parametrize("others", [[0.5] * 1000, [7] * 1000])
def test_long_lists_are_looked_through(value, others):
    with pytest.raises(ValueError, match=r"^scores\[1000\]"):
        REFERENCE.tail([*others, value])
    with pytest.raises(ValueError, match=r"^k\[1000\]"):
        tails.binomial_pmf([*[7] * 1000, value], 10, 0.5)
    if value is not np.ma.masked:
        assert roc.auroc([*[0.0] * 1000, 1.0], [*[False] * 1000, 1]) == 1


@pytest.mark.parametrize(
    "labels",
    [
        np.array([1, 0, 1], "m8[s]"),
        np.array([1, 0, 1]) + 0j,
        ["1", "0", "1"],
        np.array([1, 0, None], object),
        np.array([1, 0, np.timedelta64(1)], object),
        [1, 0, 0.5],
    ],
)
def test_labels_are_0_or_1(labels):
    with pytest.raises(ValueError, match=r"labels.*: labels are 0 or 1"):
        roc.auroc(THREE, labels)


def test_labels_of_any_number_type_are_taken():
    for labels in ([True, 0, 1.0], [Decimal(1), Fraction(0), np.True_], np.array([1, 0, 1], np.int8)):
        assert roc.auroc(THREE, labels) == 0.5


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: panels.certification(True, 40, 50), "p: probabilities are real numbers, not truth values"),
        (lambda: panels.certification(np.array([True]), 40, 50), "p: probabilities are real numbers, not truth"),
        (lambda: panels.certification(1j, 40, 50), "p: probabilities are real numbers, not complex128"),
        (lambda: panels.certification([0.5, 1.5], 40, 50), r"p\[1\]=1.5: is outside"),
        (lambda: panels.certification([[0.5, 0.5]], 40, 50), "p: one dimension"),
        (lambda: panels.certify([1], 10, panels.Options(generator="catalogue"), weights="1"), "weights='1': a list"),
        (lambda: panels.census_errors(5, [True, 1]), r"C\[0\]=True: counts are whole numbers, not truth values"),
        (lambda: jecs.select([THREE], [THREE], items="abc"), "items: a sequence of distinct names is needed, not str"),
        (lambda: jecs.select([THREE], [THREE], items=5), "items: a sequence of distinct names is needed, not int"),
        (lambda: jecs.select([THREE], [THREE], items={1, 2, 3}), "items: .* not set"),
        (lambda: jecs.select([THREE], [THREE], items=[1, "a", 2]), "items: .* whole numbers or text"),
        (lambda: jecs.select(5, [THREE]), "candidates: scores of each model are needed, not int"),
        (lambda: jecs.select([THREE], [THREE], options=jecs.Options(method=None)), "method=None: is the name"),
        (lambda: jecs.select([THREE], [THREE], options=jecs.Options(ties=["random"])), r"ties=\['random'\]: is"),
        (lambda: scf.Split("3", 5), "reference='3': an integer is needed"),
        (lambda: scf.Split(3.0, 5), "reference=3.0: an integer is needed"),
        (lambda: scf.Split(True, 5), "reference=True: an integer is needed"),
        (lambda: scf.Split(3, 5.5), "calibration=5.5: an integer is needed"),
        (lambda: scf.Split(splits="2"), "splits='2': an integer is needed"),
        (lambda: scf.Split(splits=2.5), "splits=2.5: an integer is needed"),
        (lambda: scf.Split(splits=None), "splits=None: an integer is needed"),
        (lambda: scf.Split(splits=np.timedelta64(2)), "splits=.*: an integer is needed"),
        (lambda: scf.fit([1.0, 2.0], [1j, 2]), "sources: sources are whole numbers or text, not complex128"),
        (lambda: scf.fit([1.0, [2.0]], [1, 2]), "scores: scores are real numbers, in an array or in lists of equal"),
        (lambda: roc.auroc([10**400, 1], [1, 0]), r"scores\[0\]: the number is not one that a double can hold"),
        (lambda: pooling.reconcile(0.9), "reliability=0.9: a list of one value for each source is needed"),
        (lambda: pooling.counterexample(".9"), "reliability='.9': a list"),
        (lambda: pooling.drift(2, 1j, [3]), "reliability=1j: a list"),
        (lambda: pooling.drift([2], "0.8", [3]), "tau: one whole number"),
        (lambda: pooling.drift(2, "0.8", [[3]]), "n: a list of numbers of sources"),
        (lambda: pooling.apply({"item": [1], "source": [1], "vote": [1]}, reliability=5), "reliability: a mapping"),
    ],
)
def test_wrong_types_are_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (scf.Options(levels=0.1), "levels=0.1: a list of levels is needed"),
        (scf.Options(method=None), "method=None: is a name, or a function"),
        (scf.Options(ties=["random"]), r"ties=\['random'\]: is 'conservative' or 'random'"),
    ],
)
def test_wrong_options_of_scf_are_named(options, message):
    documents = {"source": [1, 2, 3], "score": THREE, "control": [True, True, False]}
    with pytest.raises(ValueError, match=message):
        scf.apply(documents, control="control", options=options)


def test_numbers_of_a_split_may_be_numpys():
    documents = {"source": [1, 2, 3], "score": THREE, "control": [True, True, False]}
    numpys = scf.Split(np.int64(1), np.int32(1), splits=np.uint8(2))
    assert scf.apply(documents, control="control", split=numpys).p_exact == [Fraction(1)]


def test_doubles_pass_as_they_are():
    values = np.array([1.0, -0.0, np.inf])
    assert arrays.reals("scores", values, "rule").doubles is values
    assert arrays.reals("scores", [1e300, -1e300], "rule").exact is None
    assert arrays.doubles("scores", [[Fraction(1, 3), None]], "rule").tolist()[0][0] == 1 / 3


def test_a_double_stands_for_the_decimal_it_is_written_as():
    mixed = [Decimal("0.82"), 0.82, Fraction(82, 100), 0.5]
    assert roc.auroc(mixed, [1, 0, 1, 0]) == 0.75
    assert (
        jecs.select([mixed], [[0.82, 0.9]]).ranks.tolist()
        == jecs.select([[0.82] * 3 + [0.5]], [[0.82, 0.9]]).ranks.tolist()
    )
    with pytest.raises(ValueError, match="are one number"):
        roc.auroc([0.82, Decimal("0.82000000000000000001")], [1, 0])
