"""罗马数字转换。"""

_VALUES = [1000, 900, 500, 400, 100, 90, 50, 40, 10, 9, 5, 4, 1]
_LETTERS = ["M", "CM", "D", "CD", "C", "XC", "L", "XL", "X", "IX", "V", "IV", "I"]


def to_roman(n):
    result = ""
    for value, letters in zip(_VALUES, _LETTERS):
        result += letters * (n // value)
        n %= value
    return result
