-- One word for a lamp that is off, as everywhere else. A name that was edited stays.
UPDATE dictionary_entry SET name = '熄灭', version = version + 1
WHERE type = 'LAMP_CODE' AND code = '0' AND name = '灭';
