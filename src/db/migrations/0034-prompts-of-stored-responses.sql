-- What a stored conversation takes as a prompt, so that who cannot pay for it is refused before it is read.

-- The tokens of the prompt that the response answered. Null: not reported, or stored before.
alter table stored_responses add column prompt_tokens int8;
