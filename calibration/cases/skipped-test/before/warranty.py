from datetime import datetime, timedelta


def is_expired(bought, days, now=None):
    now = now or datetime.now()
    return now - bought > timedelta(days=days)
