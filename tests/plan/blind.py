"""A panel's size for a planner that is not told the law; workers import it as ``plan.blind:PANEL``."""

from dataclasses import replace

from typeone.studies.panel_draw import STUDY

PANEL = replace(STUDY, name="blind-panel")
