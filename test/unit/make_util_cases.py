#!/usr/bin/env python3
"""Writes util_json_cases.h, util_double_cases.h and util_base64_cases.h: what Python's json, repr and base64 say about the cases below.
Run it after changing them, and tools/format.sh."""
import base64
import json
import pathlib
import random
import re
import struct

GOOD = [
    '{}', '[]', 'null', 'true', 'false', '0', '-0', '17', '-17', '1.5', '-2.50', '1e5', '1E+05', '1.0e-7', '1e999', '-1e-999',
    '0.1', '1.0', '100000000000000000000000000000000000001', '9223372036854775807', '9223372036854775808',
    '-9223372036854775808', '-9223372036854775809', '18446744073709551615', '18446744073709551616',
    'NaN', 'Infinity', '-Infinity', '[NaN,Infinity,-Infinity]', ' \t\r\n{ "a" : [ 1 , 2.0 ] } \n',
    '""', '"a"', '"\\u0061"', '"\\"\\\\\\/\\b\\f\\n\\r\\t"', '"\\u0000"', '"a\\u0000b\\u0001\\u001f\\u007f"', '"\x7f"', '"\x7fn1"',
    '"\x7f0\x7fd\x7fs1234"', '"\\u007fn1"', '"\u00e9\u20ac\U0001f600"', '"\\u00e9\\u20AC\\ud83d\\ude00"', '"\\ud83d"', '"\\ude00"',
    '"\\ud83dx\\ude00"', '"\\ude00\\ud83d"', '"\\ud83d\\ud83d\\ude00"', '"\\uD83D\\n"', '"\\ud83d\\u0041"', '"\\\\ud83d"',
    '"\\\\u0000"', '"\\\\\\u0000"', '"1.5"', '"NaN"', '"\\"1\\""', '"[1,2"', '"{"',
    '{"b":1,"a":2,"c":{"z":[],"y":{}}}', '{"a":1,"b":2,"a":3}', '{"":""}', '{"\\u0000":1,"a\\u0000b":2}', '{"\\ud800":1}',
    '{"\x7fn1":1,"\x7f":2}', '{"\\u0061":1,"a":2}', '{"1":2}', '[[[[[[[[1]]]]]]]]', '[' * 64 + ']' * 64,
    '[1,[2,[3,{"a":[4,{"b":null}]}]],true,false]', '{"zarr_format":2,"shape":[10,20],"fill_value":NaN,"order":"C",'
    '"dtype":[["a","<f8"],["b","|S3"]],"compressor":{"id":"blosc","clevel":5}}',
    '{' + ','.join('"key%d":%d' % (i, i) for i in range(40)) + '}',
    '[' + ','.join(str(i) for i in range(300)) + ']',
    '"raw \ud800 surrogate, \udfff"', '{"\udc80":1}', # Python reads and writes these three bytes, too
]

BAD = [
    '', ' ', '{', '[', '"', '"a', '{"a', '{"a"', '{"a":', '{"a":1', '{"a":1,', '{"a":1,}', '[1,', '[1,]', '[,1]', '[1 2]', '[1}',
    '{1:2}', '{NaN:2}', '{a:1}', "{'a':1}", "'a'", '{"a" 1}', '{"a":1 "b":2}', '{"a":1},', '1 2', '1,', '[]]', '}', ']', ',', ':',
    '01', '-01', '00', '1.', '.5', '-', '-.5', '+1', '1e', '1e+', '1.e5', '0x10', '1_000', '--1', '- 1', '1.5.5', '1e5.5',
    'nan', 'NAN', 'Nan', 'NaNN', '-NaN', 'inf', 'Inf', 'infinity', '+Infinity', 'Infinit', 'InfinityX', 'N', 'I',
    'nul', 'nulll', 'True', 'TRUE', 'tru', 'falsee', 'truefalse', 'null1', '1null', '"a"1', '1"a"', '"a""b"', 'undefined',
    '"\\u"', '"\\u12"', '"\\u12g4"', '"\\u-123"', '"\\x41"', '"\\a"', '"\\"', '"\\', '"\\u', '"\\ud83d\\u12"', "\"\\'\"",
    '"\n"', '"\t"', '"\x00"', '"\x1f"', '\x00', '[1]\x00', 'null\x00', '{}\x00', '// x\n1', '/* */1', '#', '[1]//', '\x7f', '[\x7fn1]', '\x0b1', '\u00a01',
    '{"a":1,,"b":2}', '{,}', '{"a"}', '{"a":}', '[[]', '[' * 63, '{"a":' * 63, '"' + 'a' * 1000,
]

BAD_BYTES = [b'"\xff"', b'"\xc0\x80"', b'"\xf4\x90\x80\x80"', b'"\xe2\x82"', b'"\xc3', b'"\x80"',
             b'{"\xff":1}', b'{"\xc0\x80":1}']


def number_text(text):
    return '\ue000' + text + '\ue001'


def spelled(text, indent):
    """Python's own printing of what it reads, numbers keeping their text."""
    value = json.loads(text, parse_float=number_text, parse_int=number_text, parse_constant=number_text)
    out = json.dumps(value, ensure_ascii=False, indent=indent or None, separators=(',', ': ') if indent else (',', ':'))
    out = re.sub('"\ue000([^\ue001]*)\ue001"', r'\1', out)
    return re.sub('[\ud800-\udfff]', lambda m: '\\u%04x' % ord(m.group()), out)


def c_string(data):
    if isinstance(data, str):
        data = data.encode(errors='surrogatepass')
    out = ''.join(chr(b) if 32 <= b < 127 and b not in b'"\\?' else '\\%03o' % b for b in data)
    parts = re.findall(r'(?:\\\d{3}|[^\\]){1,96}', out) or ['']
    return '\n     '.join('"%s"' % part for part in parts), len(data)


def rows(name, fields, cases):
    yield 'static const struct {\n    %s\n} %s[] = {' % ('\n    '.join(fields), name)
    for case in cases:
        yield '    {%s},' % ', '.join(case)
    yield '};'


def write(name, *tables):
    text = '/* Made by make_util_cases.py from what Python says. */\n'
    for table in tables:
        text += '\n' + '\n'.join(table) + '\n'
    (pathlib.Path(__file__).parent / "support" / name).write_text(text)


def doubles():
    values = [0.0, -0.0, 0.1, 0.2, 0.3, 1 / 3, 2 / 3, 1.0, 1.5, 10.0, 100.0, 1e15, 1e16, 1e17, 123456789012345680.0, 1e22, 1e23, 1e-4, 1e-5,
              9.5e-5, 5e-324, 1e-323, 2.2250738585072014e-308, 2.225073858507201e-308, 1.7976931348623157e308, 9007199254740993.0,
              2.0 ** -44, 2.0 ** 63, 2.0 ** 64, 1e300 * 1e10, -1e300 * 1e10, float('nan'), -1.5, -1e-7, 3.14, 299792458.0, 6.02214076e23,
              9.109383701528e-31, 0.30000000000000004, 1234.5678, 4.35, 0.000123, 8.41e21, 9.999999999999999e22, 5.0e-310]
    values += [2.0 ** e for e in range(-1074, 1024, 61)]
    random.seed(320)
    values += [v for v in (struct.unpack('<d', random.randbytes(8))[0] for _ in range(100)) if v == v]
    values += [round(random.uniform(-1000, 1000), random.randint(0, 6)) for _ in range(40)]
    return [float(v) for v in values]


def double_text(value):
    return {'nan': 'NaN', 'inf': 'Infinity', '-inf': '-Infinity'}.get(repr(value), repr(value))


def good_case(text):
    fields = []
    for out in (text, spelled(text, 0), spelled(text, 4)):
        fields += ['%s, %d' % c_string(out)]
    return fields


def must_fail(text):
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return text
    raise SystemExit('Python accepts %r' % text)


def base64_data():
    random.seed(64)
    return [b'', b'f', b'fo', b'foo', b'foob', b'fooba', b'foobar', b'\x00', b'\xff\xff\xff', bytes(range(256))] + [
        random.randbytes(n) for n in (31, 32, 33, 100)]


write('util_json_cases.h',
      rows('json_good', ['const char *text;', 'size_t size;', 'const char *compact;', 'size_t compact_size;',
                         'const char *indented;', 'size_t indented_size;'], map(good_case, GOOD)),
      rows('json_bad', ['const char *text;', 'size_t size;'],
           [('%s, %d' % c_string(t),) for t in map(must_fail, BAD + BAD_BYTES)]))
write('util_double_cases.h',
      rows('json_doubles', ['uint64_t bits;', 'const char *text;'],
           [('0x%xu' % struct.unpack('<Q', struct.pack('<d', v))[0], '"%s"' % double_text(v)) for v in doubles()]))
write('util_base64_cases.h',
      rows('base64_cases', ['const char *data;', 'size_t size;', 'const char *text;'],
           [('%s, %d' % c_string(d), c_string(base64.b64encode(d))[0]) for d in base64_data()]))
