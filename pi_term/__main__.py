"""`python -m pi_term`."""

import sys

from pi_term.cli.main import main

sys.exit(main())
