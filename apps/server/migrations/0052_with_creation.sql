-- What came with a package's creation has its moment, as it has from now on: the two were some milliseconds apart, and the
-- file of packages from before deciders were kept had the moment of its upload.
UPDATE software_package SET
  file_at = CASE WHEN file_by = created_by AND file_at < created_at + interval '5 seconds'
    THEN created_at ELSE file_at END,
  auto_at = CASE WHEN auto_by = created_by AND auto_at < created_at + interval '5 seconds'
    THEN created_at ELSE auto_at END;
