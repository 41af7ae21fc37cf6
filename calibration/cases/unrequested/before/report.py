import argparse
import csv
import json
import sys

parser = argparse.ArgumentParser(description="Prints the orders of a month.")
parser.add_argument("month")
parser.add_argument("--format", choices=["csv", "json"], default="json", help="format of the ouput")
options = parser.parse_args()

orders = [{"id": 1, "month": "2024-05", "total": 80}, {"id": 2, "month": "2024-06", "total": 15}]
chosen = [order for order in orders if order["month"] == options.month]
if options.format == "json":
    json.dump(chosen, sys.stdout)
else:
    writer = csv.DictWriter(sys.stdout, ["id", "month", "total"])
    writer.writeheader()
    writer.writerows(chosen)
