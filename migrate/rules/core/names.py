"""Name constants, classes, errors and functions in comch_next, where they are not called."""

from __future__ import annotations

import ast
import re

from migrate.facts.feature_tests import is_hasattr
from migrate.facts.program import Facts, Reference
from migrate.facts.type_comments import is_type_comment
from migrate.old_api._tables import MEMBERS
from migrate.old_api.generations import VOCABULARY
from migrate.old_api.vocabulary import Vocabulary
from migrate.rules._answers import Answer, Change, Refusal
from migrate.rules._computed import computed_method
from migrate.rules._forms import Function as FunctionForm
from migrate.rules._quoted import commented, quoted
from migrate.rules._registry import load
from migrate.rules._roles import project_role
from migrate.rules._site import OWNERS
from migrate.rules._uncalled import bound_method, function_value
from migrate.text.code import Edits, Template

_COMPARING = (ast.Compare, ast.MatchValue)
_TYPE_TESTS = frozenset({"isinstance", "issubclass", "cast"})


def constant(name: str, vocabulary: Vocabulary = VOCABULARY) -> str:
    """The new name of a constant, or its value where there is none."""
    return f"{{comch}}.{MEMBERS[name]}" if name in MEMBERS else str(vocabulary.constants[name])


def answer(reference: Reference, facts: Facts) -> Answer:
    """What becomes of a reference that is not a call: a name of the module, the module, or a method as a value."""
    node, name = reference.node, reference.name
    if reference.code:
        return Refusal(reference.code)
    if is_type_comment(node):
        return commented(node, facts)
    if isinstance(node, ast.Call):
        return computed_method(reference, node, facts)
    if isinstance(node, ast.Constant):
        imported = isinstance(facts.parent(node), ast.Call) and not facts.is_quoted_type(node)
        return Change(Edits({node: Template('"comch_next"')})) if imported else quoted(node, facts)
    if not isinstance(node, ast.expr):
        return Change(Edits())  # an import, which follows its names
    if (taken := facts.name_tables.get(node)) is not None:
        return Change(Edits({taken: _code_names(taken)}))
    function = facts.vocabulary.flat.get(name) or facts.vocabulary.objects.get(name)
    is_method = name in facts.vocabulary.by_method
    if isinstance(node, ast.Attribute) and (node.attr != name or function is None) and is_method:
        return _unbound(node, facts, _shown(reference, node, bound_method(reference, node, facts)))
    if name in facts.vocabulary.classes:
        if (asked := facts.asked_name(node)) is not None:
            return Change(Edits({asked: Template(f'"{name}"')}))
        return _unbound(node, facts, _class(reference, node, facts))
    if function is not None or "." in name:
        return _shown(reference, node, function_value(reference, node, facts))
    if name in facts.vocabulary.others:
        return Refusal("CCM022")
    test = facts.parent(node)
    if not name and isinstance(test, ast.Call) and is_hasattr(test):
        return _feature_test(test, facts)
    text = _name(name, facts)
    if name in facts.shown_numbers and not isinstance(facts.parent(node), _COMPARING):
        text += ".value" if name in MEMBERS else ""
    return Change(Edits({node: Template(text)} if text else {}))


def _code_names(taken: ast.expr) -> Template:
    """All names of result codes, or the code of the name that is asked for."""
    if isinstance(taken, ast.Call) and taken.args[1:]:
        return Template("{comch}.code_names()[{name}]", {"name": taken.args[1]})
    return Template("{comch}.code_names()")


def _shown(reference: Reference, node: ast.expr, answer: Answer) -> Answer:
    """The same under its old name, if the program asks for that."""
    if not reference.shown or isinstance(answer, Refusal):
        return answer
    template = answer.edits.expressions[node]
    text = f'{{comch}}.named("{reference.shown}", {template.text})'
    return answer._replace(edits=Edits({node: Template(text, template.parts)}))


def _unbound(node: ast.expr, facts: Facts, answer: Answer) -> Answer:
    """The same as a static method, where a class has it: no class or bound method becomes a method of another class."""
    if isinstance(answer, Refusal) or not facts.is_class_attribute(node):
        return answer
    template = answer.edits.expressions[node]
    if re.fullmatch(r"[\w.{}]+", template.text):
        return answer
    return answer._replace(edits=Edits({node: Template(f"staticmethod({template.text})", template.parts)}))


def _name(name: str, facts: Facts) -> str:
    if not name:
        return "{comch}"
    if name in facts.vocabulary.constants:
        return constant(name, facts.vocabulary)
    if name in facts.vocabulary.renamed:
        return f"{{comch}}.{facts.vocabulary.renamed[name]}"
    # A member of ErrorCode changes with the name of its class.
    return f"{{comch}}.{name}" if name in facts.vocabulary.errors or name in facts.vocabulary.helpers else ""


def _feature_test(call: ast.Call, facts: Facts) -> Answer:
    """Ask for what takes the place of a name that the old module has in every release."""
    module, asked = call.args
    new = _successor(str(asked.value), facts) if isinstance(asked, ast.Constant) else ""
    home, _, name = new.rpartition(".")
    if not home:
        return Refusal("CCM006")
    return Change(Edits({module: Template(home), asked: Template(f'"{name}"')}))


def _successor(name: str, facts: Facts) -> str:
    """Where comch_next has what an old name stands for, "" where that is not an attribute."""
    if name in facts.vocabulary.classes:
        return f"{{comch}}.{OWNERS.get(facts.vocabulary.classes[name]) or project_role(facts)}"
    function = facts.vocabulary.flat.get(name) or facts.vocabulary.objects.get(name)
    if function is None:
        return _name(name, facts)
    rule = load().get(function.name)
    if isinstance(rule, FunctionForm):
        return f"{{comch}}.{rule.name}"
    kind = function.kinds.get(function.receiver, "")
    return f"{{comch}}.{OWNERS.get(kind) or project_role(facts)}"


def _class(reference: Reference, node: ast.expr, facts: Facts) -> Answer:
    """An old class: what is called through another name makes contexts; a test of types takes any that it may be."""
    kind = facts.vocabulary.classes[reference.name]
    place = _type_place(node, facts)
    is_tested = isinstance(place, ast.Call | ast.MatchClass) or facts.is_dispatched(node)
    is_tested |= place is None and (reference.name in facts.tested_away or _is_in_union(node, facts))
    is_type = place is not None or is_tested or isinstance(facts.parent(node), ast.Compare)
    if reference.origins and not is_type and reference.name in facts.vocabulary.objects:
        return function_value(reference, node, facts)
    if kind != "endpoint":
        return Change(Edits({node: Template(f"{{comch}}.{OWNERS[kind]}")}))
    if isinstance(place, ast.ClassDef):
        return Refusal("CCM039")
    return Change(Edits({node: Template(f"{{comch}}.{project_role(facts, is_tested=is_tested)}")}))


def _is_in_union(node: ast.expr, facts: Facts) -> bool:
    """Whether a class is one of several: `Union[Endpoint, Device]`, `Endpoint | Device`."""
    outer = facts.parent(node)
    outer = facts.parent(outer) if isinstance(outer, ast.Tuple) else outer
    return isinstance(outer, ast.BinOp | ast.Subscript)


def _type_place(node: ast.expr, facts: Facts) -> ast.AST | None:
    """The annotation's owner, test or class that a name stands in as a type; None where it is a value."""
    inner: ast.AST = node
    while True:
        outer = facts.parent(inner)
        if isinstance(outer, ast.Call):
            called = outer.func.attr if isinstance(outer.func, ast.Attribute) else getattr(outer.func, "id", "")
            return outer if called in _TYPE_TESTS else None
        if isinstance(outer, ast.ClassDef | ast.MatchClass):
            return outer
        if inner in (getattr(outer, "annotation", None), getattr(outer, "returns", None)):
            return outer
        if not isinstance(outer, ast.Subscript | ast.Tuple | ast.BinOp | ast.List):
            return None
        inner = outer
