import unittest

from roman import to_roman


class Roman(unittest.TestCase):
    def test_single_letters(self):
        self.assertEqual(to_roman(1), "I")
        self.assertEqual(to_roman(50), "L")

    def test_subtraction(self):
        self.assertEqual(to_roman(4), "IV")
        self.assertEqual(to_roman(90), "XC")

    def test_a_year(self):
        self.assertEqual(to_roman(1994), "MCMXCIV")
