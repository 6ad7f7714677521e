"""Study design: the smallest size that reaches a target, for any study and any whole-number factor."""

from typeone.plan.planner import Progress, answer
from typeone.plan.question import Question
from typeone.plan.result import Answer, Estimated, Limit, PlanResult, Size
from typeone.plan.sampler import Workers

__all__ = ["Answer", "Estimated", "Limit", "PlanResult", "Progress", "Question", "Size", "Workers", "answer"]
