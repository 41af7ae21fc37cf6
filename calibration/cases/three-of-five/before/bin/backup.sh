#!/bin/sh
set -eu
cp -R data backups/"$(date +%F)"
