import unittest

from slug import slugify


class Slugify(unittest.TestCase):
    def test_lower_case(self):
        self.assertEqual(slugify("Hello World"), "hello-world")

    def test_one_hyphen_for_a_run(self):
        self.assertEqual(slugify("salt & pepper"), "salt-pepper")

    def test_none_at_the_ends(self):
        self.assertEqual(slugify("What now?"), "what-now")
