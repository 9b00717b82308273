-- Webhooks that take digests: one message for the events of some time. Servers of earlier versions send them each event by
-- itself.

ALTER TABLE webhook ADD COLUMN digest_seconds BIGINT CHECK (digest_seconds BETWEEN 10 AND 86400);

-- The events of the next digest of a webhook.
CREATE TABLE digest_event (
  webhook_id BIGINT NOT NULL REFERENCES webhook ON DELETE CASCADE,
  event_id BIGINT NOT NULL REFERENCES webhook_event ON DELETE CASCADE,
  PRIMARY KEY (webhook_id, event_id)
);
CREATE INDEX digest_event_of_event ON digest_event (event_id);
