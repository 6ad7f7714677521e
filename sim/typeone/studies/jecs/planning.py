"""What the planner may know of this study; the keys are explained in ``typeone.plan.hints``."""

PLAN = {
    "measures": {"power": "power@0.1:jecs", "gcr": "gcp@0.1:jecs"},
    "factors": {"K": "models", "n": "candidates", "m": "calibration"},
}
