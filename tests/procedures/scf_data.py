"""Documents of a few sources as a table."""


def long(bags, roles, names=None):
    names = names or list(range(len(bags)))
    return {
        "source": [name for name, bag in zip(names, bags, strict=True) for _ in bag],
        "score": [x for bag in bags for x in bag],
        "role": [role for role, bag in zip(roles, bags, strict=True) for _ in bag],
    }


def shuffled(data, order):
    return {name: [column[i] for i in order] for name, column in data.items()}


DATA = long(
    [[0.1, 0.5], [0.4], [0.2, 0.9, 0.3], [0.5], [0.8, 0.1], [0.7], [0.5], [0.3, 0.3], [0.9, 0.8]],
    ["reference"] * 3 + ["calibration"] * 4 + ["target"] * 2,
)
