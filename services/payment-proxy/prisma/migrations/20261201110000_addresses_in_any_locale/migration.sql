-- The same text for every spelling of an address: a mailbox without `+tag`, its ASCII letters in lower case whatever the
-- locale of the database, a phone number in E.164 without separators, `(0)` and extension. JavaScript decides on domains
-- that are not ASCII (`addressOf` of the contract). The previous release compares the same texts.
CREATE OR REPLACE FUNCTION "payer_address"("value" TEXT) RETURNS TEXT LANGUAGE SQL IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT CASE WHEN strpos("value", '@') > 0 THEN lower(regexp_replace("value", '([^+])\+.*@', '\1@') COLLATE "C")
        ELSE regexp_replace(regexp_replace(regexp_replace(replace(
            coalesce(substring("value" from '[+0-9][^A-Za-z#;\u00c0-\u1fff\u3040-\ud7ff]*'), ''), '(0)', ''),
            '/(?:[^0-9]*[0-9]){0,3}[^0-9]*$', ''), '[^+0-9]', '', 'g'), '^00', '+') END
$$;
