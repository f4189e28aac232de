-- Written by `npm run docs:sql`.

-- lockUsers
SELECT FROM app_user WHERE id = ANY($1::int[]) ORDER BY id FOR NO KEY UPDATE;
