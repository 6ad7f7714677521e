"""Every command of README runs, in order, in an empty folder, and prints what README shows."""

from readme import README, SHOWN, commands, run, shortened


def test_commands_run_and_print_what_is_shown(tmp_path):
    text = README.read_text(encoding="utf-8")
    shown = {match["command"]: match["output"] for match in SHOWN.finditer(text)}
    found = commands(text)
    assert len(found) >= 8
    assert len(shown) >= 2
    outputs = {command: run(command, tmp_path) for command in found}
    for command, output in shown.items():
        assert shortened(outputs.get(command) or run(command, tmp_path)) == output, command
