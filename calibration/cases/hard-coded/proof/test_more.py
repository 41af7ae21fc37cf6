import unittest

from roman import to_roman


class More(unittest.TestCase):
    def test_others(self):
        for number, expected in [(2, "II"), (9, "IX"), (40, "XL"), (444, "CDXLIV"), (2024, "MMXXIV"), (3999, "MMMCMXCIX")]:
            self.assertEqual(to_roman(number), expected)
