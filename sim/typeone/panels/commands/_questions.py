"""What `size`, `error` and `design` share: one population, stated in full, and what an adversary may do to it."""

from __future__ import annotations

from typing import Any


def sizes(text: str | None) -> tuple[int, ...]:
    """``"3,5,7"`` as (3, 5, 7); None is the default grid."""
    from typeone.panels.options import GRID

    if text is None:
        return GRID
    try:
        return tuple(int(word) for word in text.split(","))
    except ValueError:
        raise ValueError(f"grid={text!r}: is written 3,5,7") from None


def census(size: int | None, positives: int | None, probability: str | None, horizon: int | None) -> bool:
    """Whether the question is about a census; a ValueError unless it is about one population, stated in full."""
    if (size is None) == (probability is None):
        raise ValueError("census, probability: name exactly one, the number of votes or the acceptance probability")
    if size is not None:
        if positives is None:
            raise ValueError("positives: how many votes of the census are positive?")
        if horizon is not None:
            raise ValueError("horizon: a census ends with its own votes; leave it out")
    elif horizon is None:
        raise ValueError("horizon: panels of independent evaluators have no largest size; state the largest to look at")
    elif positives is not None:
        raise ValueError("positives: counts votes of a census; name --census, or leave it out")
    return size is not None


def attack(in_census: bool, census_flips: int, panel_flips: int, fixed: str, targeted: str) -> dict[str, Any]:
    """The adversary's options that this population knows; a ValueError for one of the other kind."""
    from typeone.levels import number

    if in_census:
        for name, share in (("fixed_share", fixed), ("targeted_share", targeted)):
            if number(name, share) != 0:
                raise ValueError(f"{name}={share}: is a share of a superpopulation; a census has --census-flips")
        return {"census_flips": census_flips, "panel_flips": panel_flips}
    if census_flips:
        raise ValueError(f"census_flips={census_flips}: a superpopulation has --fixed-share or --targeted-share")
    return {"fixed_share": fixed, "targeted_share": targeted, "panel_flips": panel_flips}
