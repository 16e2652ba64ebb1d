UPDATE account SET fence = :token WHERE id = :id AND fence <= :token;  -- no row: stale
SELECT balance FROM account WHERE id = :id;
