-- All devices are chosen by saying so: {"isAll": 1}. A choice without a condition meant the same.
UPDATE upgrade_task SET devices = '{"isAll": 1}' WHERE devices = '{"filters": {}}';
UPDATE parameter_batch SET devices = '{"isAll": 1}' WHERE devices = '{"filters": {}}';
UPDATE advertisement SET cabinets = '{"isAll": 1}' WHERE cabinets = '{"filters": {}}';
