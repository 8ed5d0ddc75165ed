#!/usr/bin/env python3
"""Judges what the JSON parser accepted and refused, by Python's: reads the lines of `json SEED COUNT dump`.

Python's parser is laxer in four points, which are held to the same rules here: NaN and Infinity, repeated keys, halves
of surrogate pairs, and depth.
"""
import json
import sys

MAX_DEPTH = 32


def pairs(members):
    if len({key for key, _ in members}) != len(members):
        raise ValueError('repeated key')
    return dict(members)


def constant(word):
    raise ValueError(word)


def check(value, depth=0):
    if isinstance(value, str):
        value.encode()  # UnicodeEncodeError is a ValueError
    elif isinstance(value, (dict, list)):
        if depth == MAX_DEPTH:
            raise ValueError('too deep')
        for item in value:
            check(item, depth + 1)
            if isinstance(value, dict):
                check(value[item], depth + 1)


def accepts(text):
    try:
        check(json.loads(text.decode('utf-8-sig'), object_pairs_hook=pairs, parse_constant=constant))
    except ValueError:
        return False
    return True


def main():
    wrong = count = 0
    for line in sys.stdin:
        text = bytes.fromhex(line[1:].strip())
        count += 1
        if accepts(text) != (line[0] == '+'):
            wrong += 1
            print(f'# {"accepted" if line[0] == "+" else "refused"}: {text!r}')
    print(f'# {count} texts judged, {wrong} otherwise')
    return count == 0 or wrong != 0


sys.exit(main())
