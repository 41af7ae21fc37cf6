#!/bin/sh
# Deletes old logs in a folder: rotate.sh FOLDER
set -eu
find "$1" -name '*.log' -mtime +0 -delete
