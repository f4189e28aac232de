-- Written by `npm run docs:sql`.

-- insertReceipts
INSERT INTO message_receipt (device_id, message_id, received_on)
SELECT ($1::int4[])[n], m.message_id, $3::date
FROM unnest($2::text[]) WITH ORDINALITY AS m(message_id, n)
WHERE NOT EXISTS (
  SELECT FROM message_receipt r
  WHERE r.device_id = ($1::int4[])[n] AND r.message_id = m.message_id AND r.received_on = $4::date
  OFFSET 0
);

-- findReceipts
-- answers positions _int8
SELECT array_agg(m.n) AS positions
FROM unnest($1::int4[], $2::text[]) WITH ORDINALITY AS m(device_id, message_id, n)
WHERE EXISTS (
  SELECT FROM message_receipt r
  WHERE r.device_id = m.device_id AND r.message_id = m.message_id AND r.received_on IN ($3::date, $4::date)
  OFFSET 0
);
