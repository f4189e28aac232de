-- Written by `npm run docs:sql`.

-- keepNarrowed
INSERT INTO narrowed_reach (user_id, until, authorities)
VALUES ($1, clock_timestamp() + interval '1 minute', $2::jsonb);

-- keepNarrowed
DELETE FROM narrowed_reach
WHERE user_id = $1 AND until < (SELECT min(at) FROM operation_log);

-- readHiddenBefore
-- answers userId int4, until timestamptz, authorities jsonb, regionPaths _text
SELECT n.user_id AS "userId", n.until, n.authorities,
  ARRAY(
    SELECT coalesce(g.path, '') FROM jsonb_array_elements_text(n.authorities -> 'R') AS e(code)
    LEFT JOIN region g ON g.code = e.code
  ) AS "regionPaths"
FROM narrowed_reach n
WHERE n.user_id = ANY($1::int[]) AND n.until > $2
ORDER BY n.until;
