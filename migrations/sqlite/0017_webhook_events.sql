-- One event for all webhooks, written in the transaction of its cause. Its deliveries refer to it. They are written
-- later, a few at a time, so that an edit does not take longer the more webhooks there are.

CREATE TABLE webhook_event (
  -- A later event of a domain has a higher number.
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  -- The `webhook-id`: the same for each attempt, and for each webhook.
  message TEXT NOT NULL,
  event TEXT NOT NULL,
  -- NULL for a test.
  domain TEXT,
  data TEXT NOT NULL CHECK (json_type(data) = 'object'),
  at INTEGER NOT NULL,
  -- Whether its deliveries are still to be written.
  is_waiting INTEGER NOT NULL CHECK (is_waiting IN (0, 1)),
  -- The same number for all events of a domain: that of the first one. NULL before the first delivery.
  queue INTEGER,
  CHECK (is_waiting = 1 OR queue IS NOT NULL)
) STRICT;
CREATE INDEX webhook_event_waiting ON webhook_event (id) WHERE is_waiting = 1;
CREATE INDEX webhook_event_queue ON webhook_event (domain) WHERE queue IS NOT NULL;
CREATE INDEX webhook_event_at ON webhook_event (at);

CREATE TABLE event_delivery (
  event_id INTEGER NOT NULL REFERENCES webhook_event ON DELETE CASCADE,
  webhook_id INTEGER NOT NULL REFERENCES webhook ON DELETE CASCADE,
  -- The queue of the event. The deliveries of a webhook in one queue are made in order.
  queue INTEGER NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('pending', 'delivered', 'failed')),
  -- When it is attempted next, or taken to be lost by the server that attempts it now. NULL at its end, and
  -- while an earlier one in the queue is pending.
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
  PRIMARY KEY (event_id, webhook_id),
  CHECK ((status = 'pending') = (ended_at IS NULL)),
  CHECK (status = 'pending' OR due_at IS NULL)
) STRICT, WITHOUT ROWID;
CREATE INDEX event_delivery_of_webhook ON event_delivery (webhook_id, event_id);
CREATE INDEX event_delivery_due ON event_delivery (webhook_id, due_at) WHERE due_at IS NOT NULL;
CREATE INDEX event_delivery_pending ON event_delivery (webhook_id, queue, event_id)
  WHERE status = 'pending';

-- The last event before the webhook was added or changed: it receives later ones.
ALTER TABLE webhook ADD COLUMN after_event INTEGER NOT NULL DEFAULT 0;

INSERT INTO webhook_event (id, message, event, domain, data, at, is_waiting, queue)
  SELECT id, message, event, domain, data, at, 0,
    CASE WHEN domain IS NULL THEN id ELSE min(id) OVER (PARTITION BY domain) END
  FROM webhook_delivery WHERE id IN (SELECT min(id) FROM webhook_delivery GROUP BY message);
INSERT INTO event_delivery (event_id, webhook_id, queue, status, due_at, claim, attempts,
    attempted_at, milliseconds, answer, error, ended_at)
  SELECT webhook_event.id, webhook_id, queue, status, due_at, claim, attempts, attempted_at,
    milliseconds, answer, error, ended_at
  FROM (SELECT min(id) AS id, message FROM webhook_delivery GROUP BY message) AS first
  JOIN webhook_event ON webhook_event.id = first.id
  JOIN webhook_delivery ON webhook_delivery.message = first.message;
-- The table stays for servers of the previous version that still run.
DELETE FROM webhook_delivery;
