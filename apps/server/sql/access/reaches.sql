-- Written by `npm run docs:sql`.

-- keepLastReach
INSERT INTO former_user_reach (user_id, reach) VALUES ($1, $2::jsonb);

-- readLastReaches
-- answers userId int4, reach jsonb
SELECT user_id AS "userId", reach FROM former_user_reach WHERE user_id = ANY($1::int[]);

-- comparable
-- answers path text
SELECT path FROM region WHERE code = ANY($1::text[]);
