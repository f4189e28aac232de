-- Written by `npm run docs:sql`.

-- readSecret
INSERT INTO platform_secret (name, secret) VALUES ($1, $2)
ON CONFLICT (name) DO NOTHING;
