"""Verifies one webhook, given as {"secret", "body", "headers"} in the first argument."""

import json
import sys

from standardwebhooks.webhooks import Webhook

given = json.loads(sys.argv[1])
Webhook(given["secret"]).verify(given["body"], given["headers"])
print("verified")
