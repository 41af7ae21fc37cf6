#!/bin/sh
# Run by cron.
set -eu
python3 report.py 2024-05 --format csv > report.csv
