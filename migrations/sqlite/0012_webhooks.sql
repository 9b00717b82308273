-- Webhooks, and what is delivered to them.

CREATE TABLE webhook (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL UNIQUE CHECK (length(name) BETWEEN 1 AND 100),
  url TEXT NOT NULL CHECK (url GLOB 'http*://?*'),
  -- The events and the domains that it is told about; empty for all.
  events TEXT NOT NULL CHECK (json_type(events) = 'array'),
  domains TEXT NOT NULL CHECK (json_type(domains) = 'array'),
  format TEXT NOT NULL CHECK (format IN ('standard', 'slack')),
  is_enabled INTEGER NOT NULL CHECK (is_enabled IN (0, 1)),
  -- When its target answered 410, which disabled it.
  gone_at INTEGER,
  -- The key of its signatures. It signs every delivery, so a hash would not do.
  secret BLOB NOT NULL CHECK (length(secret) BETWEEN 24 AND 64),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;

-- What is delivered to a webhook, written in the transaction of its cause. The deliveries of a webhook
-- about one domain are made in order.
CREATE TABLE webhook_delivery (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  webhook_id INTEGER NOT NULL REFERENCES webhook ON DELETE CASCADE,
  -- The `webhook-id`: the same for each attempt, and for each webhook that is told about one event.
  message TEXT NOT NULL,
  event TEXT NOT NULL,
  -- NULL for a test.
  domain TEXT,
  data TEXT NOT NULL CHECK (json_type(data) = 'object'),
  at INTEGER NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('pending', 'delivered', 'failed')),
  -- When it is attempted next, or taken to be lost by the server that attempts it now. NULL at its end, and
  -- while an earlier one about the domain is pending.
  due_at INTEGER,
  -- The server that attempts it now.
  claim TEXT,
  attempts INTEGER NOT NULL CHECK (attempts >= 0),
  -- The last attempt, and what came of it.
  attempted_at INTEGER,
  milliseconds INTEGER,
  answer INTEGER,
  error TEXT NOT NULL,
  ended_at INTEGER,
  CHECK ((status = 'pending') = (ended_at IS NULL)),
  CHECK (status = 'pending' OR due_at IS NULL)
) STRICT;
CREATE INDEX webhook_delivery_of_webhook ON webhook_delivery (webhook_id, id);
CREATE INDEX webhook_delivery_due ON webhook_delivery (webhook_id, due_at)
  WHERE due_at IS NOT NULL;
CREATE INDEX webhook_delivery_pending ON webhook_delivery (webhook_id, domain, id)
  WHERE status = 'pending';
CREATE INDEX webhook_delivery_ended ON webhook_delivery (ended_at) WHERE ended_at IS NOT NULL;

-- The revision and the bytes of each domain that `apple.overdue` was last about, so that it is told once.
CREATE TABLE apple_overdue (
  domain_id INTEGER PRIMARY KEY REFERENCES domain ON DELETE CASCADE,
  revision INTEGER NOT NULL,
  sha256 TEXT NOT NULL CHECK (length(sha256) = 64)
) STRICT;

ALTER TABLE audit ADD COLUMN webhook TEXT;
