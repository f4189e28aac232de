-- A part of the target is searched for by its pairs of characters: trigrams (pg_trgm) find no word of two, which most
-- Chinese words are, and the extension is not the server's to make. On a million entries of a month the search took
-- 0.9 s without an index and 0.01 to 0.08 s with this one (13 MB, made in 35 s, during which no entry is written).
CREATE FUNCTION text_bigrams(text) RETURNS text[] LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
$$ SELECT array_agg(substr(lower($1), i, 2)) FROM generate_series(1, length($1) - 1) AS i $$;
CREATE INDEX operation_log_target_bigrams ON operation_log USING gin (text_bigrams(target));
