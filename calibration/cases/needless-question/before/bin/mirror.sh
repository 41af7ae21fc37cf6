#!/bin/sh
set -eu
cp -R data mirror
