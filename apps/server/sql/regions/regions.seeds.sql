-- Written by `npm run docs:sql`.

-- plant
-- answers id int4
SELECT nextval(pg_get_serial_sequence('region', 'id'))::int4 AS id
FROM generate_series(1, $1::int4);

-- plant
INSERT INTO region (id, code, parent_id, name, path, full_name, order_num)
SELECT id, code, parent_id, name, path, full_name, order_num
FROM jsonb_to_recordset($1::jsonb)
  AS r(id integer, code text, parent_id integer, name text, path text, full_name text, order_num integer);
