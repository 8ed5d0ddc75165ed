/* claims.c: what the judgements of all studies have in common, see claims.h. */
#include "study/claims.h"

enum claim claims_of(enum order order)
{
	return order == ORDER_ABOVE ? CLAIM_SUPPORTED : order == ORDER_BELOW ? CLAIM_REFUTED : CLAIM_CANNOT_TELL;
}

enum claim claims_contrary(enum claim claim)
{
	return claim == CLAIM_SUPPORTED ? CLAIM_REFUTED : claim == CLAIM_REFUTED ? CLAIM_SUPPORTED : claim;
}

struct text claims_begin(struct finding *finding)
{
	finding->claim = CLAIM_CANNOT_TELL;
	return text_in(finding->text, sizeof finding->text);
}
