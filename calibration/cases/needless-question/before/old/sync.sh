#!/bin/sh
set -eu
rsync -a data/ mirror/
