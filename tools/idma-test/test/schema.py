#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Check JSON of idma-test against the schemas in tools/idma-test/schema/.

usage: schema.py NAME [FILE]	one or more documents; standard input without FILE
"""

import json
import os
import sys

import jsonschema
import yaml

FOLDER = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), 'schema')


def _place(ref, name):
    """Where a reference that stands in the file of that name points to in the bundle."""
    file, _, inside = ref.partition('#')
    return f"#/$defs/{file.removesuffix('.yaml') or name}{inside}"


def _moved(node, name):
    """A part of a schema, with its references as they are in the bundle."""
    if isinstance(node, list):
        return [_moved(n, name) for n in node]
    if not isinstance(node, dict):
        return node
    return {k: _place(v, name) if k == '$ref' else _moved(v, name)
            for k, v in node.items() if k not in ('$id', '$schema')}


def _load():
    """All schemas in one: how references to other files are found depends on jsonschema's version."""
    defs = {}
    for file in sorted(os.listdir(FOLDER)):
        name = file.removesuffix('.yaml')
        if name != file:
            with open(os.path.join(FOLDER, file), encoding='utf-8') as text:
                defs[name] = _moved(yaml.safe_load(text), name)
    return defs


DEFS = _load()


def problems(doc, name):
    """What is wrong with a document, as texts."""
    validator = jsonschema.Draft202012Validator({'$defs': DEFS, '$ref': '#/$defs/' + name})
    return ['/'.join(map(str, e.absolute_path)) + ': ' + e.message for e in validator.iter_errors(doc)]


def documents(text):
    """All documents in a text, one after the other."""
    decoder = json.JSONDecoder()
    at = 0
    docs = []
    while text[at:].strip():
        at += len(text[at:]) - len(text[at:].lstrip())
        doc, at = decoder.raw_decode(text, at)
        docs.append(doc)
    return docs


def main():
    """Parse the command line and do it."""
    if len(sys.argv) not in (2, 3) or sys.argv[1] not in DEFS:
        print(__doc__, file=sys.stderr)
        return 2
    if len(sys.argv) == 3:
        with open(sys.argv[2], encoding='utf-8') as file:
            text = file.read()
    else:
        text = sys.stdin.read()
    docs = documents(text)
    wrong = [p for doc in docs for p in problems(doc, sys.argv[1])]
    for text in wrong:
        print(text)
    return 1 if wrong or not docs else 0


if __name__ == '__main__':
    sys.exit(main())
