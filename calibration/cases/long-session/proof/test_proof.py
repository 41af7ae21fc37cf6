import unittest

from app import admin, files, invoices, orders, search, users

MODULES = (admin, files, invoices, orders, search, users)


class Proof(unittest.TestCase):
    def test_each_logs(self):
        for module in MODULES:
            with self.assertLogs(f"app.{module.__name__.split('.')[-1]}", "INFO"):
                module.handle({"id": 7, "session": "s"})

    def test_each_needs_a_session(self):
        for module in MODULES:
            with self.assertRaises(PermissionError, msg=module.__name__):
                module.handle({"id": 7})

    def test_the_readme_names_the_variable(self):
        with open("README.md") as readme:
            self.assertIn("LOG_LEVEL", readme.read())
