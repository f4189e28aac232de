-- Written by `npm run docs:sql`.

-- seedDemo
ANALYZE device, device_state;
