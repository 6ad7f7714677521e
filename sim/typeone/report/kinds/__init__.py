"""What the files of ``typeone apply`` say, one module for each method, found by listing this package.

A module holds TITLE; COLUMNS, which tell its files from others'; NAME, the column of identifiers; ORDER, the column
by which rows are sorted (a minus before it: largest first); ``answer(table)`` and ``pictures(table)``, where row i of
the sorted table is the page's row i.  It may hold ``evidence(table, file, asked)``, what lies behind the decisions, and
then EVIDENCE, the options of ``typeone report`` that say how to read that file and their defaults.
"""
