# The 10 GbE study finds the cause in 10 of 10 runs of different plantings: CAUSE:FACTORS:CELLS, see tests/cli/xfi.sh.
PLANTINGS='emc:direction,emc,cpuidle:8 load:cpufreq,load,emc:8 cpufreq:direction,cpufreq,cpuidle:8 cpuidle:emc,cpuidle,load:8 emc_load:direction,emc,load,cpufreq:16
	emc_cpufreq:emc,cpufreq,cpuidle:8 direction_emc:direction,emc,cpufreq:8 direction_load:direction,load,emc:8 tx_emc_load:direction,emc,load:8 nothing:direction,emc,load:8'
export PLANTINGS
exec sh tests/cli/xfi.sh
