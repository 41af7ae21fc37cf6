import unittest

from app import admin, files, invoices, orders, search, users


class Handlers(unittest.TestCase):
    def test_each_answers_with_its_id(self):
        for module in (admin, files, invoices, orders, search, users):
            self.assertEqual(module.handle({"id": 7, "session": "s"})["id"], 7)
