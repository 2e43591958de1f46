#!/usr/bin/env bash
# doc_data.sh: doc_classes/*.xml as a C array on stdout, aicc_doc_data of aicc_doc_size bytes with a NUL behind them. The editor is given it as help.
set -euo pipefail
cd "$(dirname "$0")/doc_classes"
echo "/* Made by doc_data.sh. */"
echo "static const unsigned char aicc_doc_data[] = {"
LC_ALL=C; export LC_ALL
cat Aicc*.xml | tr -d '\r' | od -An -v -t u1 | sed 's/  *\([0-9][0-9]*\)/\1,/g'
echo "0};"
echo "enum { aicc_doc_size = sizeof aicc_doc_data - 1 };"
