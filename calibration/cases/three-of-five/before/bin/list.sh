#!/bin/sh
set -eu
ls backups
