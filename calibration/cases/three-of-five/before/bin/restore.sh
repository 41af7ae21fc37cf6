#!/bin/sh
set -eu
cp -R backups/"$1" data
