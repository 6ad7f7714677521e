"""One call of every public kernel: arguments made from a generator, so that other seeds give other data."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pkgutil import iter_modules

import numpy as np
from numba.core.registry import CPUDispatcher

import typeone_kernels
from benchmarks import kernel_arguments as make
from benchmarks.kernel_arguments import LEVEL, Arguments, N, Random
from typeone_kernels import membership, streams
from typeone_kernels.grid import common_grid
from typeone_kernels.normals import ziggurat


def public_kernels() -> dict[str, CPUDispatcher]:
    """``module.name`` of every compiled function without a leading underscore, where it is defined."""
    found = {}
    for module in sorted(info.name for info in iter_modules(typeone_kernels.__path__)):
        content = vars(import_module(f"typeone_kernels.{module}"))
        for name, function in content.items():
            here = isinstance(function, CPUDispatcher) and function.py_func.__module__ == f"typeone_kernels.{module}"
            if here and not name.startswith("_"):
                found[f"{module}.{name}"] = function
    return found


def arguments(name: str, seed: int) -> Arguments:
    """Fresh arguments of a kernel."""
    return EXAMPLES[name](np.random.default_rng(seed))


EXAMPLES: dict[str, Callable[[Random], Arguments]] = {
    "bags.exact_sum": lambda rng: (rng.standard_normal(N) * 10.0 ** rng.integers(-9, 9, N), np.zeros(64)),
    "bags.top_means": lambda rng: (
        rng.standard_normal(N),
        np.array([0, 10, 25, N]),
        np.array([3, 15, 1]),
        np.zeros(3),
    ),
    "binomial.upper_tail": lambda rng: (float(rng.integers(80, 90)), 100.0, 0.6, 0.0, 0.4, 0.0, make.scratch()),
    "binomial.binomial_tails": lambda rng: (*make.binomial(rng), make.scratch()),
    "binomial.binomial_log_tails": lambda rng: (*make.binomial(rng), make.scratch()),
    "binomial.binomial_cdf": make.binomial,
    "binomial.binomial_sf": make.binomial,
    "binomial.binomial_logcdf": make.binomial,
    "binomial.binomial_logsf": make.binomial,
    "binomial.binomial_pmf": make.binomial,
    "binomial.binomial_logpmf": make.binomial,
    "binomial.binomial_quantile": lambda rng: (float(rng.random()), *make.binomial(rng)[1:]),
    "binomial.binomial_tail_arrays": lambda rng: (*make.binomials(rng), np.zeros(N), np.zeros(N)),
    "binomial.binomial_log_tail_arrays": lambda rng: (*make.binomials(rng), np.zeros(N), np.zeros(N)),
    "binomial.binomial_pmf_array": lambda rng: (*make.binomials(rng), np.zeros(N)),
    "binomial.binomial_logpmf_array": lambda rng: (*make.binomials(rng), np.zeros(N)),
    "binomial.binomial_quantile_array": lambda rng: (rng.random(N), *make.binomials(rng)[1:], np.zeros(N, np.int64)),
    "bounds.clopper_pearson_lower": make.clopper,
    "bounds.clopper_pearson_upper": make.clopper,
    "buckets.rank_buffers": lambda rng: (int(rng.integers(5, 50)),),
    "buckets.bucket_of": lambda rng: (float(rng.standard_normal()), -3.0, 10.0, 60.0),
    "buckets.bucket_range": lambda rng: (rng.standard_normal(N), 40, np.zeros(N)),
    "buckets.distribute": lambda rng: (rng.standard_normal(N), -3.0, N / 6, *make.buffers()),
    "buckets.sort_within_buckets": lambda rng: (make.grouped(rng).scores, np.array([0, N], np.int32)),
    "buckets.sort_scores": lambda rng: (rng.standard_normal(N), make.buffers()),
    "bounds.clopper_pearson_lower_bounds": lambda rng: (*make.counts_and_levels(rng), np.zeros(N)),
    "bounds.clopper_pearson_upper_bounds": lambda rng: (*make.counts_and_levels(rng), np.zeros(N)),
    "bounds.hypergeometric_lower": lambda rng: (int(rng.integers(1, 10)), 10, 100, 0.05, make.scratch()),
    "certificates.ones": lambda rng: (make.key(rng)[0],),
    "certificates.binomial_by_bits": lambda rng: (make.stream(rng), 100, float(rng.random())),
    "certificates.vote_histograms": lambda rng: (
        make.key(rng),
        5,
        rng.random((2, N)),
        0.5,
        np.zeros((2, 31), np.int64),
    ),
    "doubledouble.two_sum": make.floats(2),
    "doubledouble.two_product": make.floats(2),
    "doubledouble.add": lambda rng: (*make.dd(rng), *make.dd(rng)),
    "doubledouble.scale": lambda rng: (*make.dd(rng), 3.0),
    "doubledouble.divide": lambda rng: (*make.dd(rng), *make.dd(rng)),
    "doubledouble.log_ratio": lambda rng: (float(rng.uniform(1, 9)), *make.dd(rng)),
    "hypergeometric.support": lambda rng: make.hypergeometric(rng)[1:],
    "hypergeometric.hypergeometric_tails": lambda rng: (*make.hypergeometric(rng), make.scratch()),
    "hypergeometric.hypergeometric_log_tails": lambda rng: (*make.hypergeometric(rng), make.scratch()),
    "hypergeometric.hypergeometric_cdf": make.hypergeometric,
    "hypergeometric.hypergeometric_sf": make.hypergeometric,
    "hypergeometric.hypergeometric_logcdf": make.hypergeometric,
    "hypergeometric.hypergeometric_logsf": make.hypergeometric,
    "hypergeometric.hypergeometric_pmf": make.hypergeometric,
    "hypergeometric.hypergeometric_logpmf": make.hypergeometric,
    "hypergeometric.hypergeometric_quantile": lambda rng: (float(rng.random()), *make.hypergeometric(rng)[1:]),
    "hypergeometric.hypergeometric_tail_arrays": lambda rng: (*make.hypergeometrics(rng), np.zeros(N), np.zeros(N)),
    "hypergeometric.hypergeometric_log_tail_arrays": lambda rng: (*make.hypergeometrics(rng), np.zeros(N), np.zeros(N)),
    "hypergeometric.hypergeometric_pmf_array": lambda rng: (*make.hypergeometrics(rng), np.zeros(N)),
    "hypergeometric.hypergeometric_logpmf_array": lambda rng: (*make.hypergeometrics(rng), np.zeros(N)),
    "hypergeometric.hypergeometric_quantile_array": lambda rng: (
        rng.random(N),
        *make.hypergeometrics(rng)[1:],
        np.zeros(N, np.int64),
    ),
    "grouped.group_scores": lambda rng: (rng.standard_normal(N), make.buffers()),
    "grouped.grouped_ranks": lambda rng: (
        *(make.grouped(rng), np.round(rng.random(N), 2)),
        *(True, make.spare(), np.zeros(N, np.int64)),
    ),
    "grouped.grouped_attainable_floor": lambda rng: (make.grouped(rng).scores, False, int(rng.integers(1, N))),
    "grouped.twice_wins": lambda rng: (make.grouped(rng), np.round(rng.random(N), 2), make.spare()),
    "grouped.twice_wins_of": lambda rng: (*np.round(rng.random((2, N)), 2), make.buffers()),
    "ideal.ideal_batch": make.ideal_case,
    "jecs.rank_models": make.rank_models,
    "jecs.largest_two": lambda rng: (
        common_grid(np.array([31, 26])),
        rng.integers(1, 26, (2, N)),
        np.zeros(N, np.int64),
        np.zeros(N, np.int64),
    ),
    "jecs.scan": lambda rng: (np.sort(make.ints(rng, 400, 20)), np.arange(19)[::-1].copy()),
    "jecs.chord_envelope": make.decided,
    "jecs.chord_of_sorted": make.chord_of_sorted,
    "jecs.decide_models": make.ranked,
    "jecs.decide": make.ranked,
    "jecs.tally": lambda rng: (rng.random((3, N)) < 0.5, rng.random(N) < 0.5, np.zeros((3, 2), np.int64)),
    "jecs.jecs_batch": make.jecs_batch,
    "jecs.gcp_power": lambda rng: (int(rng.integers(5, 9)), 3, 10),
    "membership.shift_clean": lambda rng: (
        *(rng.random((2, 3, N)) < 0.5, rng.random(3)),
        *(rng.standard_normal((2, 3, N + 4)), np.zeros((2, 3, N))),
    ),
    "membership.memberships": lambda rng: (
        membership.Contamination(0.3, np.array([0.2, 0.7, 0.9]), 0.5),
        rng.random((2, 6, N)),
        *(np.zeros((2, 3, N), np.bool_), np.zeros((2, N), np.bool_)),
    ),
    "normals.fill_uniforms": lambda rng: (make.key(rng), 5, 2, 3, make.words(), np.zeros(N)),
    "normals.fill_normals": lambda rng: (ziggurat(), make.key(rng), 5, 2, make.words(), np.zeros(N)),
    "normals.uniforms_of_repetitions": lambda rng: (make.key(rng), 5, 2, (3, N), make.words(), np.zeros((2, N))),
    "normals.normals_of_repetitions": lambda rng: (ziggurat(), make.key(rng), 5, 2, make.words(), np.zeros((2, N))),
    "panels.path_table": lambda rng: ((np.arange(30 + int(rng.integers(9))) + 1) // 2, 60),
    "panels.panel_errors": make.panel_errors,
    "panels.store_curves": lambda rng: (rng.random((11, 3)), np.array([2, 0, 4]), np.zeros((5, 20))),
    "panels.size_positions": make.size_positions,
    "partitions.draw_roles": lambda rng: (
        make.key(rng),
        2,
        np.arange(12),
        np.array([3, 4]),
        np.zeros((3, 20), np.int8),
    ),
    "partitions.reference_documents": lambda rng: (lambda of: (of["roles"], of["sizes"], np.zeros(3, np.int64)))(
        make.population(rng)
    ),
    "partitions.evidence": make.evidence_case,
    "partitions.source_keys": make.source_keys,
    "partitions.referenced_counts": make.referenced_counts,
    "partitions.raw_counts": make.raw_counts,
    "poisson_binomial.poisson_binomial_pmf": lambda rng: (rng.random(N), np.zeros(N + 1)),
    "poisson_binomial.upper_sum": lambda rng: (rng.random(N), 10),
    "poisson_binomial.lower_sum": lambda rng: (rng.random(N), 10),
    "pooling.pool_matrix": lambda rng: (make.vote_matrix(rng), make.weights(rng), 7, np.zeros(N, np.int64)),
    "pooling.pool_list": lambda rng: (
        *(make.ints(rng, 9), make.ints(rng, 6), make.ints(rng, 2).astype(np.int8), make.weights(rng), 7),
        np.zeros(9, np.int64),
    ),
    "pooling.operating_points": lambda rng: (3, make.ints(rng, 50), 2**40, 5, np.zeros(N, np.int64)),
    "pooling.count_ranges": lambda rng: (
        np.sort(make.weights(rng)),
        4,
        5,
        np.zeros(5, np.int64),
        np.zeros(5, np.int64),
    ),
    "pooling.draw_votes": lambda rng: (
        *(make.stream(rng), np.array([0.5, 0.2, 0.3]), 3, rng.uniform(0.5, 1, 6)),
        *(np.zeros(N, np.int8), np.zeros((N, 6), np.int8)),
    ),
    "ranks.conformal_ranks": lambda rng: (make.guide(rng), rng.standard_normal(N), True, np.zeros(N, np.int64)),
    "ranks.random_ranks": make.random_ranks,
    "ranks.attainable_floor": lambda rng: (make.guide(rng).scores, False, int(rng.integers(1, N))),
    "ranks.attainable_ranks": lambda rng: (make.guide(rng).scores, True),
    "roc.twice_u": lambda rng: (np.round(rng.random(N), 2), np.round(rng.random(N), 2), make.buffers()),
    "roc.split_classes": lambda rng: (rng.random(N), rng.random(N) < 0.5, np.zeros(N), np.zeros(N)),
    "roc.best_true_positives": lambda rng: (np.sort(rng.random(N)), np.sort(rng.random(N)), 4),
    "saddlepoint.stirling": make.floats(1),
    "saddlepoint.is_near": lambda rng: (100.0, float(rng.uniform(-50, 50))),
    "saddlepoint.near_deviance": lambda rng: (100.0, float(rng.uniform(-5, 5)), 0.0),
    "saddlepoint.far_deviance": lambda rng: (lambda d: (100.0, 100.0 - d, 0.0, d, 0.0))(float(rng.integers(30, 90))),
    "saddlepoint.product_over": make.floats(3),
    "saddlepoint.value": make.floats(4),
    "saddlepoint.log_value": make.floats(4),
    "saddlepoint.both_tails": lambda rng: (True, float(rng.uniform(0, 0.6))),
    "saddlepoint.both_log_tails": lambda rng: (lambda t: (True, t, float(np.log(t))))(float(rng.uniform(0.1, 0.6))),
    "scf.log_evidence": lambda rng: (int(rng.integers(0, 40)), make.population(rng)["tail"]),
    "scf.document_evidence": lambda rng: (
        make.ints(rng, 48),
        make.population(rng)["tail"],
        20,
        2**40,
        np.zeros(N, np.int64),
    ),
    "scf.evidence_sums": make.evidence_sums,
    "scf.mean_key": lambda rng: (int(rng.integers(0, 2**40)), 7, np.uint64((2**64 - 1) // 7), 6),
    "scf.mean_keys": lambda rng: (rng.integers(0, 2**40, N), rng.integers(1, 8, N), 6, np.zeros(N, np.int64)),
    "search.normal_deviate": lambda rng: (float(rng.random()),),
    "search.narrow": lambda rng: (0, 100, int(rng.integers(1, 100)), True, 4),
    "selection.cumulative_counts": lambda rng: (make.ints(rng, 20), np.zeros(21, np.int64)),
    "selection.step_up": lambda rng: (*make.attainable(rng), 20, LEVEL, N, 20),
    "selection.bh_cutoff": lambda rng: (*make.attainable(rng), 20, LEVEL, 20),
    "selection.storey_cutoff": lambda rng: (*make.attainable(rng), 10, LEVEL, 20),
    "selection.partial_conjunction_cutoff": lambda rng: (
        *make.attainable(rng),
        np.minimum(N, make.attainable(rng)[2] + 3),
        *(20, LEVEL, 20),
    ),
    "selection.step_up_doubles": lambda rng: (np.sort(rng.random(N)) ** 3, 0.1 * np.arange(1, N + 1) / N),
    "streams.open_stream": lambda rng: (np.zeros(streams.STATE_WORDS, np.uint64), make.key(rng), 5, 2),
    "streams.fill_words": lambda rng: (make.key(rng), 5, 2, 8, make.words()),
    "streams.unit_double": lambda rng: (rng.integers(0, 2**64, dtype=np.uint64),),
    "streams.next_word": lambda rng: (make.stream(rng),),
    "streams.next_uniform": lambda rng: (make.stream(rng),),
    "streams.next_below": lambda rng: (make.stream(rng), 1000),
    "streams.draw_subset": lambda rng: (make.stream(rng), np.arange(30), 12),
    "tailsum.tail_length": lambda rng: (float(rng.uniform(0.1, 1)), 0.01),
    "tailsum.hypergeometric_sum": lambda rng: (10.0, 12.0, 5.0, float(rng.integers(3, 9)), 0.5, make.scratch()),
    "tailsum.binomial_sum": lambda rng: (10.0, float(rng.integers(3, 9)), 0.5, 0.5, make.scratch()),
}
