-- Written by `npm run docs:sql`.

-- givingWay
SAVEPOINT giving_way;

-- givingWay
SET LOCAL lock_timeout = 100;

-- givingWay
SET LOCAL lock_timeout TO DEFAULT;

-- givingWay
RELEASE SAVEPOINT giving_way;

-- givingWay
ROLLBACK TO SAVEPOINT giving_way;
