-- Written by `npm run docs:sql`.

-- areOnePerson
-- answers areOne bool
WITH RECURSIVE held (account, holder, signs_in, by_system) AS (
  SELECT s.user_id, s.by_user_id, s.signs_in, s.by_system FROM user_set_by s
  WHERE s.user_id = ANY($1::int[]) AND s.at > now() - $2 * interval '1 day'
  UNION
  SELECT h.account, s.by_user_id, h.signs_in, s.by_system
  FROM held h JOIN user_set_by s ON s.user_id = h.holder AND s.signs_in WHERE s.at > now() - $3 * interval '1 day'
)
SELECT EXISTS (
  SELECT FROM held WHERE (account, holder) IN (($4::int, $5::int), ($6::int, $7::int))
) OR EXISTS (
  SELECT FROM held x JOIN held y USING (holder)
  WHERE x.account = $8 AND y.account = $9 AND x.signs_in AND y.signs_in
    AND NOT x.by_system AND NOT y.by_system
) AS "areOne";
