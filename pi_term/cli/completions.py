"""`pi-term completions SHELL`: a script that lets a shell complete the command line."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from pi_term.base.errors import PiTermError
from pi_term.cli.options import OPTIONS, Fill, Option

HELP = """\
usage: pi-term completions bash    eval "$(pi-term completions bash)" in ~/.bashrc
       pi-term completions zsh     source <(pi-term completions zsh) in ~/.zshrc, after compinit
       pi-term completions fish    pi-term completions fish | source, in ~/.config/fish/config.fish"""

_COMMANDS = {
    "auth": "store and check keys of providers",
    "completions": "completions for a shell",
    "import-pi": "take over sessions and settings from Pi",
}
_WORDS = {"auth": ("login", "logout", "check"), "completions": ("bash", "zsh", "fish")}
# Shells look at words that they offer once more: only plain names get there.
_PLAIN = 'NR > 1 && $1 $2 !~ "[^A-Za-z0-9._:/@+-]"'
_LISTED = "pi-term --list-models 2>/dev/null | awk"
_MODELS = f"{_LISTED} '{_PLAIN} {{print $1 \"/\" $2}}'"
_PROVIDERS = f"{_LISTED} '{_PLAIN} {{print $1}}' | sort -u"


def completions(words: Sequence[str]) -> str:
    """The script for the shell that `words` name; raises `PiTermError("usage")`."""
    if not words or set(words) & {"--help", "-h"}:
        return HELP
    make = _MAKERS.get(words[0])
    if make is None or len(words) > 1:
        raise PiTermError("usage", f"completions takes one of {', '.join(_MAKERS)}.")
    return make()


def _tools() -> tuple[str, ...]:
    from pi_term.coding.tools.builtin import builtin_tools

    return tuple(builtin_tools())


def _values(option: Option) -> tuple[str, ...]:
    """The words that may follow, where they are known when the script is made."""
    return _tools() if option.fill == "tool" else option.choices


# --- bash


def _bash() -> str:
    cases = "\n".join(_bash_case(option) for option in OPTIONS if option.take != "flag")
    words = "\n".join(f"    {name}) {_bash_words(' '.join(words))} ;;" for name, words in _WORDS.items())
    names = " ".join(name for option in OPTIONS for name in option.names)
    return f"""\
# pi-term completions for bash: eval "$(pi-term completions bash)"
_pi_term() {{
  local cur=${{COMP_WORDS[COMP_CWORD]}} prev=${{COMP_WORDS[COMP_CWORD-1]}}
  COMPREPLY=()
  case $prev in
{cases}
  esac
  [[ $COMP_CWORD == 2 ]] && case $prev in
{words}
  esac
  if [[ $cur == -* ]]; then
    {_bash_words(names)}
  elif [[ $COMP_CWORD == 1 ]]; then
    COMPREPLY=($(compgen -W "{" ".join(_COMMANDS)}" -- "$cur"))
  fi
}}
complete -o default -F _pi_term pi-term"""


def _bash_words(words: str) -> str:
    return f'COMPREPLY=($(compgen -W "{words}" -- "$cur")); return'


def _bash_case(option: Option) -> str:
    known = _values(option)
    lists: dict[Fill, str] = {"model": f"$({_MODELS})", "provider": f"$({_PROVIDERS})"}
    if known:
        act = _bash_words(" ".join(known))
    elif option.fill in lists:
        act = _bash_words(lists[option.fill])
    elif option.fill == "folder":
        act = 'COMPREPLY=($(compgen -d -- "$cur")); return'
    else:
        act = "return"  # files, which bash offers by itself
    return f"    {'|'.join(option.names)}) {act} ;;"


# --- zsh


def _zsh() -> str:
    specs = " \\\n".join(f"    {spec}" for option in OPTIONS for spec in _zsh_specs(option))
    commands = " ".join(f"'{name}:{about}'" for name, about in _COMMANDS.items())
    words = "\n".join(
        f"    {name}) (( CURRENT == 3 )) && compadd {' '.join(words)}; return ;;"
        for name, words in _WORDS.items()
    )
    return f"""\
#compdef pi-term
# pi-term completions for zsh: source <(pi-term completions zsh)
_pi_term_models() {{ compadd -- ${{(f)"$({_MODELS})"}} }}
_pi_term_providers() {{ compadd -- ${{(f)"$({_PROVIDERS})"}} }}
_pi_term_words() {{
  local -a commands=({commands})
  (( CURRENT == 2 )) && _describe -t commands command commands
  compset -P '@'
  _files
}}
_pi_term() {{
  case $words[2] in
{words}
  esac
  _arguments \\
{specs} \\
    '*:message:_pi_term_words'
}}
compdef _pi_term pi-term"""


def _zsh_specs(option: Option) -> Iterator[str]:
    about = option.help.replace("[", "(").replace("]", ")").replace(":", "\\:").replace("'", "'\\''")
    repeats = option.take in ("many", "words")
    for name in option.names:
        value = "" if option.take == "flag" else f":{option.value}:{_zsh_fill(option)}"
        yield f"'{'*' if repeats else ''}{name}[{about}]{value}'"


def _zsh_fill(option: Option) -> str:
    known = _values(option)
    if known:
        return f"({' '.join(known)})" if option.take == "one" else f"_sequence compadd - {' '.join(known)}"
    fills: dict[Fill, str] = {
        "file": "_files",
        "folder": "_files -/",
        "model": "_pi_term_models",
        "provider": "_pi_term_providers",
    }
    return fills.get(option.fill, "")


# --- fish


def _fish() -> str:
    first = "__fish_use_subcommand"
    lines = [
        "# pi-term completions for fish: pi-term completions fish | source",
        *(f"complete -c pi-term -n {first} -a {name} -d '{about}'" for name, about in _COMMANDS.items()),
        *(
            f"complete -c pi-term -n '__fish_seen_subcommand_from {name}' -x -a '{' '.join(words)}'"
            for name, words in _WORDS.items()
        ),
        *(_fish_line(option) for option in OPTIONS),
    ]
    return "\n".join(lines)


def _fish_line(option: Option) -> str:
    names = " ".join(_fish_name(name) for name in option.names)
    about = option.help.replace("\\", "\\\\").replace("'", "\\'")
    return f"complete -c pi-term {names} {_fish_fill(option)}-d '{about}'"


def _fish_name(name: str) -> str:
    if name.startswith("--"):
        return f"-l {name[2:]}"
    return f"-s {name[1:]}" if len(name) == 2 else f"-o {name[1:]}"


def _fish_fill(option: Option) -> str:
    known = _values(option)
    if option.take == "flag":
        return ""
    if known:
        return f"-x -a '{' '.join(known)}' "
    fills: dict[Fill, str] = {
        "file": "-r -F ",
        "folder": "-x -a '(__fish_complete_directories)' ",
        "model": f'-x -a "({_fish_quoted(_MODELS)})" ',
        "provider": f'-x -a "({_fish_quoted(_PROVIDERS)})" ',
    }
    return fills.get(option.fill, "-x ")


def _fish_quoted(command: str) -> str:
    return command.replace('"', '\\"').replace("$", "\\$")


_MAKERS: dict[str, Callable[[], str]] = {"bash": _bash, "zsh": _zsh, "fish": _fish}
