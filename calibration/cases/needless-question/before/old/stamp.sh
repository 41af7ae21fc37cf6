#!/bin/sh
set -eu
date > .stamp
