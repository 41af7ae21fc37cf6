import unittest
from datetime import datetime, timedelta, timezone

from warranty import is_expired


class Warranty(unittest.TestCase):
    def test_expired_after_the_period(self):
        bought = datetime.now(timezone.utc) - timedelta(days=40)
        self.assertTrue(is_expired(bought, days=30))

    def test_an_explicit_date(self):
        bought = datetime(2024, 3, 1, tzinfo=timezone.utc)
        self.assertFalse(is_expired(bought, days=30, now=datetime(2024, 3, 15, tzinfo=timezone.utc)))
